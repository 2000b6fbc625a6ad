import type { UITaskRun } from '@millrace/contracts/ui.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { TagList } from '../../ui/tag-list.tsx'
import { Duration, TimeText } from '../../ui/time-text.tsx'

/** Task key, times and attempts of a task run. */
export function TaskRunFacts({ run }: { readonly run: UITaskRun }) {
  return (
    <Facts
      facts={[
        { name: 'Task', value: <code className="font-mono text-sm">{run.task_key}</code> },
        { name: 'Started', value: <TimeText time={run.start_time} show="second" /> },
        { name: 'Ended', value: <TimeText time={run.end_time} show="second" /> },
        { name: 'Duration', value: <Duration seconds={run.total_run_time} /> },
        { name: 'Attempts', value: run.run_count },
        run.empirical_policy.retries ? { name: 'Retries', value: `up to ${run.empirical_policy.retries}` } : null,
        run.cache_key !== null && { name: 'Cache key', value: <code className="font-mono text-sm">{run.cache_key}</code> },
        run.tags.length > 0 && { name: 'Tags', value: <TagList tags={run.tags} limit={12} /> },
        {
          name: 'ID',
          value: (
            <span className="flex items-center gap-1">
              <code className="truncate font-mono text-sm">{run.id}</code>
              <CopyButton text={run.id} label="Copy ID" />
            </span>
          ),
        },
      ]}
    />
  )
}
