/** Whether PostgreSQL can store and compare a text: it has no NUL characters and no lone surrogates. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Removes NUL characters and replaces lone surrogates. */
export const toStorable = (text: string): string => (isStorable(text) ? text : text.replaceAll('\0', '').toWellFormed())
