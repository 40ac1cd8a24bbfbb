// Plain JavaScript without packages: the launcher refuses programs of the local platform before it installs packages.

/** The only platform that the local platform runs on. */
export const LOCAL_PLATFORM = "linux-x64";

/** Programs that start the local platform. */
export const LOCAL_PROGRAMS = ["local/start.ts", "bench/main.ts", "test/main.ts"];

/**
 * Returns why the local platform does not run on a machine, with what to do instead; undefined if it does.
 * @param {string} platform operating system and processor as Node.js names them, e.g. "darwin-arm64"
 */
export function platformProblem(platform) {
  if (platform === LOCAL_PLATFORM) return undefined;
  return (
    `The local platform (npm start, npm test, npm run bench) requires Linux on x64, and this machine is ${platform}: ` +
    "use an existing cluster with npx gatehouse deploy CONTEXT, or a virtual machine with Linux on x64."
  );
}
