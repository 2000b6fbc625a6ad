import type { Config } from '../config.ts'
import type { RuleSettings } from '../orchestration/rule.ts'

export const toRuleSettings = ({ concurrency, task_runs }: Config): RuleSettings => ({
  deployment_slot_wait_seconds: concurrency.deployment_slot_wait_seconds,
  deployment_lease_seconds: concurrency.initial_deployment_lease_seconds,
  tag_slot_wait_seconds: concurrency.tag_slot_wait_seconds,
  cache_key_length_max: task_runs.maximum_cache_key_length,
})
