/** The primary result codes of SQLite that we tell apart (https://sqlite.org/rescode.html). */
export const sqliteCodes = { busy: 5, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 } as const

/** The primary result code of an error of `node:sqlite`, also where it is the cause of another error. */
export function resultCode(error: unknown): number | undefined {
  const { errcode, cause } = (error ?? {}) as { errcode?: unknown; cause?: unknown }
  if (typeof errcode === 'number') return errcode & 0xff
  return cause === undefined ? undefined : resultCode(cause)
}
