import { anyTypeOrNone, defineRule, type TaskRunSnapshot } from '../rule.ts'
import { cached } from '../states.ts'
import { accept, replace } from '../verdicts.ts'

/** What completed under the same cache key, and has not expired, is not computed again. Comes before slots are asked for: it needs none. */
export const reuseCachedResult = defineRule<TaskRunSnapshot>({
  name: 'reuse-cached-result',
  from: anyTypeOrNone,
  to: ['RUNNING'],
  decide(context) {
    const { run, proposed } = context
    const { cache_key, refresh_cache } = proposed.state_details
    if (!cache_key || refresh_cache || !run.cached) return accept
    const { task_run_id = null, cache_expiration = null } = run.cached.state_details
    return replace(cached(context, run.cached), 'A result under the same cache key is kept and is used again.', {
      cache_key,
      cache_expiration,
      task_run_id,
      state_id: run.cached.id,
    })
  },
})
