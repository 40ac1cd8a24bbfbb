/** Returns undefined for these statuses of the API server or of authentik; default: the user may not read it, or it does not exist. */
export async function readable<T>(reading: Promise<T>, statuses = [403, 404]): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    const { code, status = code } = error as { code?: number; status?: number };
    if (status !== undefined && statuses.includes(status)) return undefined;
    throw error;
  }
}
