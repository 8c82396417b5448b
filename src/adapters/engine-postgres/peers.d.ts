// Optional peers, which are not installed with conductor: packages.ts has the types of what is used of them.
declare module 'pg';
declare module 'pg-boss';
