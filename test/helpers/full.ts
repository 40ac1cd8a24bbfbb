/** Whether tests take every sample of their expensive properties: `FULL=1 npm test`, see CONTRIBUTING.md. */
export const FULL = process.env["FULL"] === "1";
