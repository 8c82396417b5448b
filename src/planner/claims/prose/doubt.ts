/** Phrases that keep a sentence from counting as a report of what the agent did or found. */

/** Denied, attempted or unfinished. */
const DENIED =
  /\b(?:not|no|none|never|nothing|neither|nor|cannot|unable|without|hardly|barely|(?!failing (?:tests?|specs?|cases?|builds?|jobs?|checks?)\b)fail\w*|broken|except|unless|until|almost|nearly|attempt\w*|tr(?:y|ied|ying)|instead of|rather than)\b|n't\b/i;

/** Wanted, planned, required or merely possible. */
const PLANNED =
  /\b(?:will|would|should|shall|could|can|may|might|must|going to|plan(?:s|ned|ning)?|todo|to-do|next|needs? to|wants?|wanted|intend\w*|let me|let's|if|ensure|make sure|verify that|so that|in order to|please|assum\w*|presum\w*|expect\w*|hope\w*|supposed|proposed?|suggest\w*|recommend\w*|possible|consider\w*|to (?:make|get|have|let))\b|\w'(?:ll|d)\b/i;

/** Uncertain, or reported from another source. */
const HEARSAY =
  /\b(?:think|believe|guess|probably|possibly|likely|maybe|perhaps|apparently|seem\w*|appear\w*|looks? like|author\w*|reviewers?|colleague\w*|teammate\w*|maintainers?|they|says?|said|wrote:|claims?|claimed|states?|stated|prints?|printed|reads|commit message|title|criteri\w+|goals?|requirements?|example|whether|how|according|review of|prs? #?\d+|the (?:ticket|issue|task|log|output|description|pr|pull request) )\b/i;

/** Times and conditions that limit a statement. */
const CONDITION = /\b(?:when|whenever|once|before|after|while|as soon as|provided|given)\b/i;

/** The agent reports its own act, so a time or condition only says when it happened. */
const OWN_ACT =
  /\b(?:i|we)(?:'ve| have)? (?:also |then |now |just )*(?:re-?)?(?:ran|run|executed|verified|confirmed|checked|tested)\b/i;

export function isDoubted(lead: string): boolean {
  return isDenied(lead) || isHypothetical(lead) || (CONDITION.test(lead) && !OWN_ACT.test(lead));
}

export function isDenied(lead: string): boolean {
  return DENIED.test(lead);
}

export function isPlanned(lead: string): boolean {
  return PLANNED.test(lead);
}

/** A first-person statement, `I added …`, is in doubt only if it is hypothetical or quoted. */
export function isHypothetical(lead: string): boolean {
  return PLANNED.test(lead) || HEARSAY.test(lead);
}

export function isConditional(lead: string): boolean {
  return CONDITION.test(lead);
}

/** The work is by others, or from another time or version. */
const FROM_ELSEWHERE =
  /\b(?:upstream|earlier|ago|previously|originally|last (?:week|month|year|night|release|spring|summer|time)|since (?:v?\d[\w.]*|version|release)|years? before)\b|\b(?:in|on|at|with|by|as of|for|since) (?:the )?(?:main|master|trunk|head|base|v\d[\w.]*|\d+\.\d[\d.]*|#\d+|pr\b|commit\b|pull request|release|version|(?:previous|prior|last|latest|other|another|earlier) (?:commit|release|version|pr|pull|branch|change|attempt|run|session|sprint))\b|\b(?:in|on) (?:the )?(?:nightly|staging|production)\b|\bin [\w@/-]+ v?\d+\.\d|\bin (?:january|february|march|april|may|june|july|august|september|october|november|december|19\d\d|20\d\d)\b/i;

export function isFromElsewhere(text: string): boolean {
  return FROM_ELSEWHERE.test(text);
}

const TAKEN_BACK =
  /^[\s:,–—-]*(?:only )?(?:no|not|none|nothing|neither|n\/a|false|pending|parts? of|(?:the )?(?:first |second )?half|some of|a stub|a skeleton)\b/i;

/** Matches `Implemented: no` and `Added nothing`. */
export function isTakenBack(text: string): boolean {
  return TAKEN_BACK.test(text);
}

/**
 * Applies the same test to the text that follows: matches `Implemented: no`, but not `Implemented in six files: no
 * new ones needed`.
 */
export function isDeniedBy(rest: string): boolean {
  return /^[\s:,–—-]*(?:(?:no|none|nothing|n\/a|false|pending)\W*$|not\b)/i.test(rest);
}

/** The agent undid its own work. */
const UNDONE =
  /\b(?:revert(?:ed|ing)|undid|undone|roll(?:ed|ing) back|discard(?:ed|ing)) (?:(?:all|both) (?:of )?)?(?:it|them|this|that|both|everything|(?:my|the|these|those|all|its) (?:own )?(?:changes?|edits?|work|attempts?|modifications?|patch))\b|\broll(?:ed|ing) (?:it|them|this|everything|(?:my|the) \w+) back\b|\b(?:had|decided) to (?:revert|undo|discard|roll)\b|\bthen reverted\b|\bbacked (?:it |this |that |them )?out\b|\b(?:working )?tree is (?:as you left it|unchanged|clean again)\b/i;

/** The agent says that it changed no file, so any work in the message was done by others. */
const UNCHANGED =
  /\b(?:made|making|are|were|was|have|with|is) no (?:code |file |source |further )?(?:changes?|edits?|modifications?)\b(?! (?:to|in|beyond|outside)\b)|\bno (?:code |file |source )?(?:changes?|edits?|modifications?|files?) (?:were|was|are|is|have been|has been)? ?(?:needed|necessary|required|made|changed|touched|modified|edited)\b(?! (?:to|in|for|beyond|outside|besides)\b)|\bno code changes\b(?! (?:to|in)\b)|\b(?:nothing|none of it) (?:was|has been|needed to be|needs to be|had to be)(?: \w+)? (?:changed|modified|edited|applied|implemented)\b|\b(?:did|have|has)(?:n't| not) (?:yet )?(?:changed?|modif(?:y|ied)|edit(?:ed)?|touch(?:ed)?|appl(?:y|ied)|implement(?:ed)?) (?:any|it\b)|\bno code (?:was|is|has been) (?:needed|required)\b|\bwithout (?:editing|changing|touching|modifying) any\b|\b(?:rather than|instead of) (?:editing|changing|touching|modifying) (?:any |the )?(?:code|files?)\b|\brepository is (?:as it was|unchanged|untouched)\b|\bleft (?:the|all) (?:files|code|branch|tree) (?:alone|untouched|unchanged|as)\b|\bnothing (?:has been|was|is) implemented\b|\bnot applied\b|\bdid(?:n't| not) implement any\b|\bbefore (?:i )?(?:making|touch\w*) any\b/i;

export function takesWorkBack(sentence: string): boolean {
  return UNDONE.test(sentence) || UNCHANGED.test(sentence);
}

const GO_AHEAD =
  /\b(?:i(?:'m| am) proposing|i(?:'d)? propose|proposed (?:changes|plan)|plan summary|(?:created|written|here's|here is) (?:the|a|my) plan|(?:shall|should|may|can) i (?:proceed|apply|implement|start|go ahead|make|create)|want me to (?:proceed|apply|implement|start|go ahead|make)|would you like me to (?:proceed|apply|implement|start|go ahead|make)|let me know (?:if|whether) i should|waiting for (?:your )?(?:approval|confirmation|go-ahead)|(?:if|once|when) you (?:agree|approve|confirm))\b/i;

export function asksForGoAhead(sentence: string): boolean {
  return GO_AHEAD.test(sentence);
}

/** The agent describes the work of others. */
const REVIEW =
  /\b(?:reviewed|review of|looked (?:over|through|at)|went (?:over|through)) (?:(?:the|your|this|their|all) )+(?:[\w#-]+ ){0,2}(?:diff|prs?|pull requests?|changes|patch|branch|commits?)\b/i;

export function reviewsOthers(sentence: string): boolean {
  return REVIEW.test(sentence);
}

/** The task was to investigate something, so completing it changes no file. */
const INQUIRY =
  /\b(?:analy[sz]\w+|review\w*|reports?|investigat\w+|audit\w*|answer\w*|questions?|explain\w*|explanation|research\w*|compar\w+|findings?|looked|inspect\w*)\b/i;

export function looksInto(sentence: string): boolean {
  return INQUIRY.test(sentence);
}
