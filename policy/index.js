/**
 * Where the Pulumi CLI begins: it loads this with `require`, and itself registers an old compiler for TypeScript, which the import below does
 * not come past.
 */
import "./pack.ts";
