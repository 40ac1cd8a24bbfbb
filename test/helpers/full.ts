/** Whether tests take every sample of their expensive properties: `FULL=1 npm test`, see README.md. */
export const FULL = process.env["FULL"] === "1";
