import { useQuery } from '@tanstack/react-query'
import { settingsQuery } from '../../api/server.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Panel } from '../../ui/page.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { QueryView } from '../query-view.tsx'
import { environmentVariable, flattenSettings } from './format-settings.ts'

interface ServerSettingsProps {
  readonly search: string
  onSearch(search: string): void
}

/** All settings of the server. Secrets arrive hidden. */
export function ServerSettings({ search, onSearch }: ServerSettingsProps) {
  const settings = useQuery(settingsQuery())
  const query = search.toLowerCase()
  return (
    <Panel
      title="Server settings"
      aside={<SearchBox label="Filter settings" placeholder="Filter…" shortcut="/" value={search} onChange={onSearch} className="h-7 max-w-44" />}
    >
      <QueryView query={settings} compact>
        {({ settings: all }) => {
          const rows = flattenSettings(all).filter(
            ({ path }) => path.toLowerCase().includes(query) || environmentVariable(path).toLowerCase().includes(query),
          )
          return rows.length === 0 ? (
            <p className="p-4 text-soft">No results</p>
          ) : (
            <dl aria-label="Settings" className="divide-y divide-line">
              {rows.map(({ path, value }) => (
                <div key={path} className="flex items-center gap-3 px-3.5 py-1">
                  <dt className="min-w-0 flex-1 font-mono text-sm" title={environmentVariable(path)}>
                    {path}
                  </dt>
                  <dd className="flex max-w-[60%] min-w-0 items-center gap-2 text-right font-mono text-soft text-sm">
                    <span className="min-w-0">{settingText(value)}</span>
                    <CopyButton text={environmentVariable(path)} label={`Copy ${environmentVariable(path)}`} />
                  </dd>
                </div>
              ))}
            </dl>
          )
        }}
      </QueryView>
    </Panel>
  )
}

const settingText = (value: unknown): string => (value === null || value === '' ? '–' : typeof value === 'string' ? value : JSON.stringify(value))
