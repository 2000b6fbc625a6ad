import type { IncomingHttpHeaders } from 'node:http'

/** Longer than anything that a server allows. */
const secondsMax = 3600

/**
 * Existing clients that find a limit full sleep for as long as they are told, while a slot may come free the next moment. They cannot say that they
 * would rather wait for the answer, so it is said for them; a client that has lost its patience hangs up.
 */
export function setPreferWaitHeader(headers: IncomingHttpHeaders): void {
  if (headers.prefer === undefined && headers['user-agent']?.startsWith('prefect/')) headers.prefer = `wait=${secondsMax}`
}
