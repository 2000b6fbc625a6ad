import { anyTypeOrNone, defineRule, type TaskRunSnapshot } from '../rule.ts'
import { cached } from '../states.ts'
import { accept, replace } from '../verdicts.ts'

/** Reuses an unexpired result under the same cache key. Precedes the slot rules, because a cached result needs no slot. */
export const reuseCachedResult = defineRule<TaskRunSnapshot>({
  name: 'reuse-cached-result',
  from: anyTypeOrNone,
  to: ['RUNNING'],
  decide(context) {
    const { run, proposed } = context
    const { cache_key, refresh_cache } = proposed.state_details
    if (!cache_key || refresh_cache || !run.cached) return accept
    const { task_run_id = null, cache_expiration = null } = run.cached.state_details
    return replace(cached(context, run.cached), 'A cached result exists under the same cache key and is reused.', {
      cache_key,
      cache_expiration,
      task_run_id,
      state_id: run.cached.id,
    })
  },
})
