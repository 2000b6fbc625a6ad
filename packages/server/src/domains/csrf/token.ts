import { createHash, timingSafeEqual } from 'node:crypto'
import type { CsrfToken } from '@millrace/contracts/admin.ts'
import type { Random } from '../../lib/random.ts'
import { addSeconds, formatTime } from '../../lib/time.ts'
import { perServer, type ServerContext } from '../../storage/server-context.ts'
import type { Batch } from '../../storage/write-queue.ts'
import { type CsrfTokenRow, deleteExpiredTokens, readDigest, replaceTokens } from './store.ts'

const newToken = (random: Random): string => Buffer.from(random.bytes(32)).toString('hex')

/** What is stored of a token: with the database alone nobody can pretend to have been given one. */
const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * Gives clients new tokens, which end their last ones: that is why they are stored, on which all replicas agree. A token that proves
 * itself (a keyed hash) could not be ended before its time.
 */
const tokenBatch = perServer(
  ({ clock, newId, random, config }): Batch<string, CsrfToken> =>
    async (tx, clients) => {
      const now = clock.now()
      const expiration = addSeconds(now, config.server.api.csrf_token_expiration_seconds)
      // In order, so that replicas that meet the same clients do not wait for each other.
      const tokens = new Map([...new Set(clients)].sort().map((client) => [client, newToken(random)]))
      const rows = [...tokens].map(
        ([client, token]): CsrfTokenRow => ({ id: newId(), created: now, updated: now, client, token_digest: digest(token), expiration }),
      )
      const stored = new Map((await replaceTokens(tx, rows)).map((row) => [row.client, row]))
      await deleteExpiredTokens(tx, now)
      return clients.map((client) => toTokenResponse(stored.get(client) as CsrfTokenRow, tokens.get(client) as string))
    },
)

export const issueToken = (context: ServerContext, client: string): Promise<CsrfToken> => context.writeQueue.submitTo(tokenBatch(context), client)

/**
 * A token while nobody asks for one. Existing clients fetch it before their first write, each of them: this must cost nothing, and
 * nothing is stored. Should protection be switched on meanwhile, they fetch another when the first is refused.
 */
export function unstoredToken({ clock, random, config }: ServerContext, client: string): CsrfToken {
  const now = clock.now()
  const expiration = addSeconds(now, config.server.api.csrf_token_expiration_seconds)
  return toTokenResponse({ id: clientUuid(client), created: now, updated: now, client, expiration }, newToken(random))
}

/** Whether this is the last token that the client was given, and still good. */
export async function isValidToken({ reads, clock }: ServerContext, client: string, token: string): Promise<boolean> {
  const wanted = await readDigest(reads, client, clock.now())
  return wanted !== undefined && timingSafeEqual(Buffer.from(digest(token)), Buffer.from(wanted))
}

/** The same for the same client, without remembering it: a uuid (version 8) made from the client's name. */
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
