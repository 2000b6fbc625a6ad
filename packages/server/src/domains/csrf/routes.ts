import { CsrfToken, CsrfTokenQuery } from '@millrace/contracts/admin.ts'
import { invalid } from '../../errors.ts'
import { type Route, route } from '../../lib/route.ts'
import { actAs, type ServerContext } from '../../storage/server-context.ts'
import { issueToken, unstoredToken } from './token.ts'

/** PostgreSQL cannot index longer texts. */
const clientCharactersMax = 500

export function csrfRoutes(context: ServerContext): Route[] {
  const isEnforced = context.config.server.api.csrf_protection_enabled
  return [
    route(
      {
        method: 'GET',
        path: '/csrf-token',
        tag: 'CSRF',
        summary: 'Get a CSRF token for a client',
        scope: 'csrf_tokens:read',
        kind: 'change',
        // A new token invalidates the previous one of its client.
        query: CsrfTokenQuery,
        responses: { 200: CsrfToken },
      },
      ({ query: { client }, actor }) => {
        if (client.length > clientCharactersMax) throw invalid(['query', 'client'], `"client" must have at most ${clientCharactersMax} characters.`)
        return isEnforced ? issueToken(actAs(context, actor), client) : unstoredToken(context, client)
      },
    ),
  ]
}
