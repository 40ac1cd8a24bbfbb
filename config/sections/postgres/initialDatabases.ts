/** Databases that `initdb` creates, so that every server has them. */
export const INITIAL_DATABASES: readonly string[] = ["postgres", "template0", "template1"];
