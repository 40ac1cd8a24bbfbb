import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, resolve, sep } from "node:path";
import {
  type ApiConstructor,
  type ApiType,
  type ConfigOptions,
  createConfiguration,
  IsomorphicFetchHttpLibrary,
  KubeConfig,
  type RequestContext,
  ResponseContext,
  SelfDecodingBody,
  ServerConfiguration,
  type User,
  wrapHttpLibrary,
} from "@kubernetes/client-node";
import { parse } from "yaml";
import { errorText } from "../config/errors/errorText.ts";
import { UserError } from "../config/errors/userError.ts";
import { type ApiResponse, retryRequest } from "./apiRetry.ts";

const http = new IsomorphicFetchHttpLibrary();

const retryingHttp = wrapHttpLibrary({
  send: async (context) => {
    const send = async (): Promise<ApiResponse> => {
      const { httpStatusCode, headers, body } = await http.send(context).toPromise();
      return { status: httpStatusCode, headers, body: await body.text() };
    };
    const request = { method: context.getHttpMethod(), url: context.getUrl() };
    const { status, headers, body } = await retryRequest(request, send);
    const decoded = new SelfDecodingBody(Promise.resolve(Buffer.from(body)));
    return new ResponseContext(status, headers as Record<string, string>, decoded);
  },
});

/**
 * A kubeconfig whose API clients retry, see `retryRequest`, and read credentials as kubectl does. A `Watch` does not use these clients; an
 * informer reports its errors.
 */
export class RetryingKubeConfig extends KubeConfig {
  /** The requests that wait for credentials. */
  #authentication: Promise<void> | undefined;

  constructor() {
    super();
    const start: StartProgram = (command, args, options) => {
      const { exec } = (this.getCurrentUser() ?? {}) as Partial<Credentials>;
      return startCredentialProgram(command, args, options, exec?.interactiveMode !== "Never");
    };
    for (const one of this["authenticators"] as { execFn?: StartProgram }[]) if (one.execFn) one.execFn = start;
  }

  /** Returns a kubeconfig file, turned to its current context. @throws Error when it cannot be read or parsed */
  static fromFile(file: string): RetryingKubeConfig {
    const config = new RetryingKubeConfig();
    config.loadFromFile(file);
    return config;
  }

  /**
   * Reads `tokenFile` of users, which takes precedence over `token` and `exec`. The library has one for the service account of a pod only, whose
   * token it reads again after a minute.
   */
  override loadFromString(text: string, options?: Partial<ConfigOptions>): void {
    // kubectl reads an empty file, or one with comments only, as a kubeconfig without entries.
    const content = /^\s*[^\s#]/m.test(text) ? text : "{}";
    super.loadFromString(content, options);
    const { users } = parse(content) as {
      readonly users?: readonly { readonly name?: string; readonly user?: { readonly tokenFile?: string | null } }[];
    };
    this.users = this.users.map((user) => {
      const tokenFile = users?.find(({ name }) => name === user.name)?.user?.tokenFile;
      if (!tokenFile) return user;
      const { token: _, ...rest } = user;
      return { ...rest, exec: undefined, authProvider: { name: "tokenFile", config: { tokenFile } } };
    });
  }

  /** Resolves the paths that kubectl resolves: those of files, and a command with a slash. */
  override makePathsAbsolute(folder: string): void {
    super.makePathsAbsolute(folder);
    for (const { exec, authProvider } of this.users as readonly Credentials[]) {
      if (exec?.command?.includes(sep)) exec.command = resolve(folder, exec.command);
      const { config } = authProvider ?? {};
      if (config?.tokenFile !== undefined) config.tokenFile = resolve(folder, config.tokenFile);
    }
  }

  /**
   * Runs a credential program once for concurrent requests: the library caches its result when it has ended.
   * @throws UserError when a file cannot be read, or the credential program fails; its output, which can contain a token, is not in the message
   */
  override async applySecurityAuthentication(context: RequestContext): Promise<void> {
    const own = Promise.resolve(this.#authentication).then(() => this.#authenticate(context));
    this.#authentication = own;
    await own.finally(() => {
      if (this.#authentication === own) this.#authentication = undefined;
    });
  }

  async #authenticate(context: RequestContext): Promise<void> {
    await super.applySecurityAuthentication(context).catch((error: NodeJS.ErrnoException) => {
      const { name, exec } = (this.getCurrentUser() ?? {}) as Partial<Credentials>;
      const hasRun = exec?.command !== undefined && error.code === undefined;
      throw new UserError(
        `context "${this.currentContext}" of the kubeconfig cannot be used: ${hasRun ? `${exec.command} returned no credentials` : errorText(error)}`,
        hasRun
          ? "run it in a terminal to see its message, and sign in again"
          : `correct user "${name}" of the kubeconfig`,
      );
    });
  }

  /** @throws Error when the current context has no cluster */
  override makeApiClient<T extends ApiType>(type: ApiConstructor<T>): T {
    const server = this.getCurrentCluster()?.server;
    if (server === undefined) throw new Error(`context "${this.currentContext}" has no cluster in the kubeconfig`);
    return new type(
      createConfiguration({
        baseServer: new ServerConfiguration(server, {}),
        authMethods: { default: this },
        httpApi: retryingHttp,
      }),
    );
  }
}

type StartProgram = (command: string, args: readonly string[] | undefined, options: SpawnOptions) => ChildProcess;

/** Starts a credential program. @param isInteractive whether it may ask the user to sign in */
function startCredentialProgram(
  command: string,
  args: readonly string[] | undefined,
  options: SpawnOptions,
  isInteractive: boolean,
): ChildProcess {
  const input = isInteractive && process.stdin.isTTY ? "inherit" : "ignore";
  const program = spawn(command, args ?? [], { ...options, stdio: [input, "pipe", "pipe"] });
  program.stderr?.pipe(process.stderr, { end: false });
  return program;
}

/** Types of fields that the library declares as `any`. */
interface Credentials extends User {
  readonly exec?: { command?: string; interactiveMode?: string } | null;
  readonly authProvider?: { readonly config?: { tokenFile?: string } } | null;
}

export interface KubeConfigFile {
  readonly file: string;
  readonly config: KubeConfig;
}

/**
 * Returns the files that kubectl reads: those in `KUBECONFIG`, default: `~/.kube/config`. A file that does not exist is left out.
 * @throws UserError for a file that is not a kubeconfig; the message of the parser has its lines, with tokens
 */
export function kubeConfigFiles(environment: Readonly<Record<string, string | undefined>>): KubeConfigFile[] {
  const paths = (environment["KUBECONFIG"] || join(homedir(), ".kube", "config")).split(delimiter);
  return paths.filter(existsSync).map((file) => {
    const config = new RetryingKubeConfig();
    try {
      config.loadFromFile(file);
    } catch (error) {
      const { code, mark } = error as { readonly code?: string; readonly mark?: { readonly line: number } };
      const line = mark === undefined ? "" : ` (line ${mark.line + 1})`;
      const problem = code === undefined ? `is not a kubeconfig${line}` : `cannot be read (${code})`;
      throw new UserError(`${file} ${problem}`, "correct it, or set KUBECONFIG to another file");
    }
    return { file, config };
  });
}

/** Returns the names of the contexts in the files that kubectl reads. */
export function contextNames(environment: Readonly<Record<string, string | undefined>>): string[] {
  return kubeConfigFiles(environment).flatMap(({ config }) => config.contexts.map(({ name }) => name));
}

/**
 * Returns the contents of all files, turned to one context. Of several entries with one name the first counts, as for kubectl and the
 * Kubernetes provider; `KubeConfig.loadFromDefault` refuses them.
 */
export function mergedKubeConfig(files: readonly KubeConfigFile[], context: string): RetryingKubeConfig {
  const config = new RetryingKubeConfig();
  config.loadFromOptions({
    contexts: unique(files.flatMap((one) => one.config.contexts)),
    clusters: unique(files.flatMap((one) => one.config.clusters)),
    users: unique(files.flatMap((one) => one.config.users)),
    currentContext: context,
  });
  return config;
}

function unique<T extends { readonly name: string }>(entries: readonly T[]): T[] {
  return entries.filter(({ name }, index) => entries.findIndex((other) => other.name === name) === index);
}
