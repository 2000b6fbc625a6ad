import { useQuery } from '@tanstack/react-query'
import { retentionQuery } from '../../api/server.ts'
import { ownEntry } from '../../own-entry.ts'
import { Panel } from '../../ui/page.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { QueryView } from '../query-view.tsx'
import { environmentVariable, formatBytes } from './format-settings.ts'

const kindLabels: Readonly<Record<string, string>> = { events: 'Events', logs: 'Logs', flow_runs: 'Finished runs' }

/** Retention, size and removed rows per data type. */
export function DataRetention() {
  const report = useQuery(retentionQuery())
  return (
    <Panel title="Data retention">
      <QueryView query={report} compact>
        {({ kinds }) => (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be focusable
          <section aria-label="Retention by data type" tabIndex={0} className="overflow-x-auto">
            <table className="w-full text-left">
              <thead>
                <tr className="border-b border-line text-faint text-sm">
                  {['Data', 'Retention', 'Oldest', 'Rows', 'Removed'].map((header) => (
                    <th key={header} scope="col" className="h-9 px-3.5 font-medium whitespace-nowrap">
                      {header}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {kinds.map((kept) => (
                  <tr key={kept.kind} className="border-b border-line align-top last:border-b-0">
                    <th scope="row" className="px-3.5 py-2 font-medium">
                      {ownEntry(kindLabels, kept.kind) ?? kept.kind}
                      <code className="block font-mono font-normal text-faint text-xs">{environmentVariable(`${kept.kind}.retention_days`)}</code>
                    </th>
                    <td className="px-3.5 py-2 whitespace-nowrap">{kept.retention_days === null ? 'Forever' : `${kept.retention_days} days`}</td>
                    <td className="px-3.5 py-2">
                      <TimeText time={kept.oldest} show="relative" />
                    </td>
                    <td className="px-3.5 py-2 whitespace-nowrap">
                      {kept.rows.toLocaleString()}
                      {kept.bytes !== null && <span className="block text-faint text-sm">{formatBytes(kept.bytes)}</span>}
                    </td>
                    <td className="px-3.5 py-2 whitespace-nowrap">
                      {kept.trimmed.toLocaleString()}
                      {kept.last_run && (
                        <span className="block text-faint text-sm">
                          {kept.last_trimmed.toLocaleString()} in the last pass, <TimeText time={kept.last_run} show="relative" />
                        </span>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        )}
      </QueryView>
    </Panel>
  )
}
