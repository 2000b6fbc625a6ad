import type { FastifyInstance } from 'fastify'

/** What clients up to 3.3.7 stumble over: by where it is answered, the text of the field that they had better not see. */
const hiddenFields: readonly (readonly [path: string, field: RegExp])[] = [
  // They refuse a pool that has a field they do not know.
  ['/work_pools/', /,\s*"default_result_storage_block_id":\s*(?:null|"[^"]*")/g],
  // The first of them take a queue for granted once it is mentioned.
  ['/deployments/', /,\s*"work_queue_id":\s*null/g],
]

export function stripFieldsForOldClients(server: FastifyInstance): void {
  server.addHook('onSend', (request, _reply, payload, done) => {
    const { url } = request.routeOptions
    const [, field] = hiddenFields.find(([path]) => url?.includes(path)) ?? []
    done(null, field && typeof payload === 'string' && isOldClient(request.headers['user-agent']) ? payload.replace(field, '') : payload)
  })
}

/** They say their version as `prefect/3.3.7 (API 0.8.4)`. */
function isOldClient(agent: string | undefined): boolean {
  const [, major, minor, patch] = /^prefect\/(\d+)\.(\d+)\.(\d+)/.exec(agent ?? '')?.map(Number) ?? []
  if (major === undefined || minor === undefined || patch === undefined) return false
  return major < 3 || (major === 3 && (minor < 3 || (minor === 3 && patch <= 7)))
}
