import { anyTypeOrNone, defineRule, type TaskRunSnapshot } from '../rule.ts'
import { accept, acceptWithEffect, replace } from '../verdicts.ts'

/** Caches the result of a task run that completes with a cache key. If the key is too long, the run completes and its result is not cached. */
export const cacheCompletedResult = defineRule<TaskRunSnapshot>({
  name: 'cache-completed-result',
  from: anyTypeOrNone,
  to: ['COMPLETED'],
  decide({ proposed, settings }) {
    const { cache_key, cache_expiration = null } = proposed.state_details
    if (!cache_key) return accept
    const max = settings.cache_key_length_max
    // The limit counts characters, not UTF-16 units. The key is spread only if it may be too long.
    const length = cache_key.length > max ? [...cache_key].length : cache_key.length
    if (length > max) {
      return replace(proposed, `The task completed, but its result is not cached: the cache key has ${length} characters, ${max} are allowed.`, {
        cache_key_length: length,
        cache_key_length_max: max,
      })
    }
    return acceptWithEffect({ kind: 'cache', cache_key, cache_expiration, state_id: proposed.id })
  },
})
