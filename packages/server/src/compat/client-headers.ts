import { badRequest } from '../errors.ts'
import { apiVersion } from '../version.ts'

/** Clients older than this speak another dialect of the API. */
const oldestVersion = [0, 8, 0] as const

/** Existing clients say which version of the API they speak: malformed or too old is refused, none at all is fine. */
export function checkClientVersion(header: string | string[] | undefined): void {
  if (!header) return
  const match = typeof header === 'string' ? /^(\d+)\.(\d+)\.(\d+)$/.exec(header) : null
  if (!match) throw badRequest(`Invalid X-PREFECT-API-VERSION header: expected 'x.y.z', got ${JSON.stringify(header)}`)
  const given = match.slice(1).map(Number)
  const at = oldestVersion.findIndex((part, index) => part !== given[index])
  if (at >= 0 && (given[at] as number) < (oldestVersion[at] as number)) {
    throw badRequest(`The client speaks version ${header} of the API, which is too old for this server (${apiVersion}): update the client`)
  }
}
