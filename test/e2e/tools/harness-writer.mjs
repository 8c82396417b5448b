// The agent of the generative pattern: it writes a harness at the given path, and later fixes what that found.
import { writeFileSync } from 'node:fs';

const harness = `import difflib, json, os, sys, time

if sys.argv[1] != "--report":
    sys.exit(64)
run_dir = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
golden = "goldens/answer.txt"

def put(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as file:
        file.write(text)

def out(name, text):
    put(os.path.join(run_dir, "harness/out/answers", name), text)
    return "harness/out/answers/" + name

answer = open("answer.txt").read().strip()
right = answer == "42"
status = "passed" if right else "failed"
put("logs/answer.log", "the answer is " + status + "\\n")
os.makedirs("screenshots/page", exist_ok=True)
with open("screenshots/page/answer.png", "wb") as file:
    file.write(bytes.fromhex("89504e470d0a1a0a"))
proposed = "the answer\\nis " + answer + "\\n"
stored = open(golden).read() if os.path.exists(golden) else ""
report = {
    "suite_id": "answers", "version": "1.0.0", "generated_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    "cases": [{"id": "answer", "kind": "cli", "status": status, "repro": "cat answer.txt",
               "observations": ["it says " + answer], "artifacts": [out("logs/answer.log", answer + "\\n")]}],
    "summary": {"passed": int(right), "failed": int(not right), "flaky": 0, "duration_ms": 1},
}
if right and stored != proposed:
    lines = difflib.unified_diff(stored.splitlines(True), proposed.splitlines(True))
    report["proposed_goldens"] = [{"id": "answer", "golden_path": golden, "kind": "text",
                                   "proposed_path": out("proposed/answer.txt", proposed),
                                   "diff_ref": out("diffs/answer.diff", "".join(lines))}]
put(sys.argv[2], json.dumps(report))
sys.exit(0 if right else 1)
`;

switch (process.env.CONDUCTOR_STEP_ID) {
  case 'synthesize':
    writeFileSync(`.tnh/run/${process.env.CONDUCTOR_RUN_ID}/harness/harness.py`, harness);
    console.log('Wrote a harness for the answer.');
    break;
  case 'fix':
    writeFileSync('answer.txt', '42\n');
    console.log('Fixed the answer.');
    break;
  default:
    process.exit(64);
}
