/**
 * Where the Pulumi CLI begins: it loads this with `require`, and itself registers an old compiler for TypeScript, which the import below does
 * not come past.
 */
import { flushCompileCache } from "node:module";
import "./pack.ts";

// Node.js writes it at the end of a process, and the engine kills its policy packs.
flushCompileCache();
