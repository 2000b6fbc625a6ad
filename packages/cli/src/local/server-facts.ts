import { MillraceError } from '@millrace/client/errors.ts'
import type { Config } from '@millrace/server/config.ts'
import type { ServerFacts } from '@millrace/server/doctor/finding.ts'
import { machineClock } from '@millrace/server/lib/time.ts'
import type { Cli } from '../cli.ts'
import { shownUrl } from './chosen-database.ts'

const timeoutSeconds = 5

/** Reads what the server of the profile says about itself. Undefined if none answers, or if it uses another database. */
export async function readServerFacts(cli: Cli, config: Config): Promise<ServerFacts | undefined> {
  const { url } = cli.connection
  const { server } = cli.createClient({ timeoutSeconds, retry: { retries: 0 } })
  try {
    if (!(await server.isHealthy())) return undefined
    const problem = await server.ready().then(() => null, messageOf)
    const settings = await server.settings().catch((error) => void messageOf(error))
    if (!settings || !usesDatabase(settings, config)) return undefined
    return { url, skewSeconds: await readSkew(url), problem, backupFailure: backupFailureOf(settings) }
  } catch (error) {
    messageOf(error)
    return undefined
  }
}

/** The message of an error of the API. Other errors are defects. */
function messageOf(error: unknown): string {
  if (error instanceof MillraceError) return error.message
  throw error
}

/** The server hides its password. */
function usesDatabase(settings: Record<string, unknown>, { database }: Config): boolean {
  const used = (settings.settings as { database?: { url?: unknown } } | undefined)?.database?.url
  return shownUrl(String(used)) === shownUrl(database.url)
}

function backupFailureOf(settings: Record<string, unknown>): string | null {
  const failure = (settings.backups as { last_failure?: { problem?: unknown } | null } | undefined)?.last_failure
  return failure ? String(failure.problem) : null
}

/** The server tells its time with each response, in whole seconds. */
async function readSkew(url: string): Promise<number | null> {
  const clock = machineClock()
  try {
    const sentAt = clock.wall()
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(timeoutSeconds * 1000) })
    const receivedAt = clock.wall()
    const servedMs = Date.parse(response.headers.get('date') ?? '')
    // The server cut off up to a second.
    return Number.isNaN(servedMs) ? null : servedMs / 1000 + 0.5 - (sentAt + receivedAt) / 2e6
  } catch {
    return null
  }
}
