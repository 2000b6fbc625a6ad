import { createHash, timingSafeEqual } from 'node:crypto'
import type { CsrfToken } from '@millrace/contracts/admin.ts'
import type { Random } from '../../lib/random.ts'
import { addSeconds, formatTime, type Micros } from '../../lib/time.ts'
import type { Batch } from '../../storage/database.ts'
import { type ActingContext, perServer, type ServerContext, serverOf } from '../../storage/server-context.ts'
import { type CsrfTokenRow, deleteExpiredTokens, readDatabaseCreated, readDigest, replaceTokens } from './store.ts'

const newToken = (random: Random): string => Buffer.from(random.bytes(32)).toString('hex')

/** Only the digest is stored: a copy of the database contains no usable token. */
const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * Issues tokens. A new token invalidates the client's previous one on all replicas, so tokens are stored: a self-contained token (a
 * keyed hash) could not be invalidated before it expires.
 */
const tokenBatch = perServer(
  ({ clock, newId, random, config }): Batch<string, CsrfToken> =>
    async (tx, clients) => {
      const now = clock.now()
      const expiration = addSeconds(now, config.server.api.csrf_token_expiration_seconds)
      // Sorted, to prevent deadlocks between replicas.
      const tokens = new Map([...new Set(clients)].sort().map((client) => [client, newToken(random)]))
      const rows = [...tokens].map(
        ([client, token]): CsrfTokenRow => ({ id: newId(), created: now, updated: now, client, token_digest: digest(token), expiration }),
      )
      const stored = new Map((await replaceTokens(tx, rows)).map((row) => [row.client, row]))
      await deleteExpiredTokens(tx, now)
      return clients.map((client) => toTokenResponse(stored.get(client) as CsrfTokenRow, tokens.get(client) as string))
    },
)

export const issueToken = (context: ActingContext, client: string): Promise<CsrfToken> => context.commands.submitTo(tokenBatch(context), client)

/**
 * A token while CSRF protection is off. Every existing client fetches one before its first write, so this stores nothing. If protection
 * is switched on later, clients fetch another token when this one is rejected.
 */
export async function unstoredToken(context: ServerContext, client: string): Promise<CsrfToken> {
  const { clock, random, config } = context
  const now = clock.now()
  const expiration = addSeconds(now, config.server.api.csrf_token_expiration_seconds)
  return toTokenResponse({ id: clientUuid(client), created: await databaseCreated(context), updated: now, client, expiration }, newToken(random))
}

/**
 * The creation time of all unstored tokens: the same at each call, on each server and after a restart, without storage. A failed read is repeated by the next call.
 */
async function databaseCreated(context: ServerContext): Promise<Micros> {
  const server = serverOf(context)
  const known = createdTimes.get(server)
  if (known !== undefined) return known
  const created = await readDatabaseCreated(context.reads)
  createdTimes.set(server, created)
  return created
}

const createdTimes = new WeakMap<ServerContext, Micros>()

/** Whether this is the client's current, unexpired token. */
export async function isValidToken({ reads, clock }: ServerContext, client: string, token: string): Promise<boolean> {
  const expected = await readDigest(reads, client, clock.now())
  return expected !== undefined && timingSafeEqual(Buffer.from(digest(token)), Buffer.from(expected))
}

/** A stable id without storage: a version 8 UUID derived from the client's name. */
function clientUuid(client: string): string {
  const hex = digest(client)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

const toTokenResponse = ({ id, created, updated, client, expiration }: Omit<CsrfTokenRow, 'token_digest'>, token: string): CsrfToken => ({
  id,
  created: formatTime(created),
  updated: formatTime(updated),
  token,
  client,
  expiration: formatTime(expiration),
})
