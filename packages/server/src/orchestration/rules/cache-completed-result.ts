import { anyTypeOrNone, defineRule, type TaskRunSnapshot } from '../rule.ts'
import { accept, acceptWithEffect, replace } from '../verdicts.ts'

/** A task that completed with a cache key answers for later ones. A key that is too long is refused, the completion is not. */
export const cacheCompletedResult = defineRule<TaskRunSnapshot>({
  name: 'cache-completed-result',
  from: anyTypeOrNone,
  to: ['COMPLETED'],
  decide({ proposed, settings }) {
    const { cache_key, cache_expiration = null } = proposed.state_details
    if (!cache_key) return accept
    const max = settings.cache_key_length_max
    // Keys are counted in characters; spreading one is only worth it when it might be too long.
    const length = cache_key.length > max ? [...cache_key].length : cache_key.length
    if (length > max) {
      return replace(proposed, `This task completed, but its cache key has ${length} characters (${max} at most), so the result is not cached.`, {
        cache_key_length: length,
        cache_key_length_max: max,
      })
    }
    return acceptWithEffect({ kind: 'cache', cache_key, cache_expiration, state_id: proposed.id })
  },
})
