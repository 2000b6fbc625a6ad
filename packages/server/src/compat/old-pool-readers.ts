import type { FastifyInstance } from 'fastify'

const field = /,\s*"default_result_storage_block_id":\s*(?:null|"[^"]*")/g

/** Clients up to 3.3.7 refuse a pool that has a field they do not know. */
export function hideFromOldReaders(server: FastifyInstance): void {
  server.addHook('onSend', (request, _reply, payload, done) => {
    const isPool = request.routeOptions.url?.includes('/work_pools/') && typeof payload === 'string'
    done(null, isPool && isOld(request.headers['user-agent']) ? (payload as string).replace(field, '') : payload)
  })
}

/** They say their version as `prefect/3.3.7 (API 0.8.4)`. */
function isOld(agent: string | undefined): boolean {
  const [, major, minor, patch] = /^prefect\/(\d+)\.(\d+)\.(\d+)/.exec(agent ?? '')?.map(Number) ?? []
  if (major === undefined || minor === undefined || patch === undefined) return false
  return major < 3 || (major === 3 && (minor < 3 || (minor === 3 && patch <= 7)))
}
