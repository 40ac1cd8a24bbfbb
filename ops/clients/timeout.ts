/**
 * Waits for some work, but no longer than that; the work itself goes on.
 * @param timeout in milliseconds
 * @throws what the work throws; Error `no answer within … s`
 */
export async function withTimeout<T>(work: Promise<T>, timeout: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeout / 1000} s`)), timeout);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
