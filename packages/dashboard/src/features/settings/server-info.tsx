import { useQuery } from '@tanstack/react-query'
import { retentionQuery, settingsQuery, versionsQuery } from '../../api/server.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryView } from '../query-view.tsx'
import { databaseKind, formatBytes, formatClock } from './format-settings.ts'

export function ServerInfo() {
  const settings = useQuery(settingsQuery())
  const versions = useQuery(versionsQuery()).data
  const kept = useQuery(retentionQuery()).data
  const api = new URL('api', document.baseURI).href
  return (
    <Panel title="Server">
      <div className="p-4">
        <QueryView query={settings} compact skeleton={<Skeleton className="h-24" />}>
          {({ version, settings: all, clock }) => (
            <Facts
              facts={[
                { name: 'Millrace', value: version },
                { name: 'API version', value: versions?.api },
                { name: 'Compatible with', value: versions && `Prefect ${versions.compatible}` },
                { name: 'Database', value: databaseKind((all.database as { url?: unknown } | undefined)?.url) },
                { name: 'Database size', value: kept && formatBytes(kept.database_bytes) },
                { name: 'Clock', value: formatClock(clock) },
                {
                  name: 'API',
                  value: (
                    <span className="flex items-center gap-1">
                      <code className="min-w-0 truncate font-mono text-sm">{api}</code>
                      <CopyButton text={api} label="Copy API URL" />
                    </span>
                  ),
                },
              ]}
            />
          )}
        </QueryView>
      </div>
    </Panel>
  )
}
