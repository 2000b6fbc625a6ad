/** A number from 0 to 1, for jitter. */
export const random = (): number => Math.random()

/** A name that differs between clients. It is not secret. `crypto.randomUUID` is missing on pages that were loaded without TLS. */
export const randomName = (prefix: string): string => `${prefix}-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`
