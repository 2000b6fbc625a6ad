import { blockRunNames, dissolveBlocks, findStaleBlocks, hasNamesToBlock } from '../storage/run-names.ts'
import { perServer } from '../storage/server-context.ts'
import type { Service } from './service.ts'

const everySeconds = 5

/** The last block that was checked. A million runs take 80 minutes. */
const checkedUntil = perServer(() => ({ block: 0 }))

/**
 * Moves the names of new flow runs to the index of names, and removes those of deleted runs. Searches read both, so a delay costs time but not correctness.
 * Settings: services.enabled. Reports nothing, because it would log every pass. Does nothing on PostgreSQL.
 */
export const runNames: Service = {
  name: 'run-names',
  enabled: (config) => config.services.enabled,
  everySeconds: () => everySeconds,
  async runOnce(context, signal) {
    const { reads, commands } = context
    for (let more = await hasNamesToBlock(reads); more && !signal.aborted; ) more = await commands.submit(blockRunNames)
    const checked = checkedUntil(context)
    const { stale, last } = await findStaleBlocks(reads, checked.block)
    if (stale.length > 0) await commands.submit(dissolveBlocks(stale))
    checked.block = last
    return {}
  },
}
