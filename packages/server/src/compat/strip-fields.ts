import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Fields that break clients up to 3.3.7, by the path of the routes that return them. */
const hiddenFields: readonly (readonly [path: string, field: RegExp])[] = [
  // They reject a pool with an unknown field.
  ['/work_pools/', /,\s*"default_result_storage_block_id":\s*(?:null|"[^"]*")/g],
  // Early versions expect a queue if the field is present, even if it is null.
  ['/deployments/', /,\s*"work_queue_id":\s*null/g],
]

/** Removes the fields from the serialised JSON, before it is compressed. */
export function stripFieldsForOldClients(server: FastifyInstance): void {
  let last: { readonly agent: string | undefined; readonly isOld: boolean } = { agent: undefined, isOld: false }
  server.addHook('onSend', (request, _reply, payload, done) => {
    // Clients send the same user agent each time.
    const agent = request.raw.headers['user-agent']
    if (agent !== last.agent) last = { agent, isOld: isOldClient(agent) }
    done(null, last.isOld && typeof payload === 'string' ? stripFields(request, payload) : payload)
  })
}

function stripFields(request: FastifyRequest, text: string): string {
  const { url } = request.routeOptions
  const [, field] = hiddenFields.find(([path]) => url?.includes(path)) ?? []
  return field ? text.replace(field, '') : text
}

/** Clients send `prefect/3.3.7 (API 0.8.4)`. */
function isOldClient(agent: string | undefined): boolean {
  const [, major, minor, patch] = /^prefect\/(\d+)\.(\d+)\.(\d+)/.exec(agent ?? '')?.map(Number) ?? []
  if (major === undefined || minor === undefined || patch === undefined) return false
  return major < 3 || (major === 3 && (minor < 3 || (minor === 3 && patch <= 7)))
}
