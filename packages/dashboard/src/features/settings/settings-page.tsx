import { useQuery } from '@tanstack/react-query'
import { settingsQuery } from '../../api/server.ts'
import { Facts } from '../../ui/facts.tsx'
import { SelectField } from '../../ui/field.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { type Preferences, prefer, usePreferences } from '../../ui/preferences.ts'
import { QueryView } from '../query-view.tsx'

const zones = () => ['local', 'UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

export function SettingsPage() {
  const choice = usePreferences()
  const settings = useQuery(settingsQuery())
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <Page title="Settings">
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Panel title="Appearance">
          <div className="flex max-w-sm flex-col gap-4 p-4">
            <SelectField
              label="Theme"
              value={choice.theme}
              onChange={(event) => prefer({ theme: event.target.value as Preferences['theme'] })}
              options={[
                { value: 'system', label: 'As the system' },
                { value: 'light', label: 'Light' },
                { value: 'dark', label: 'Dark' },
              ]}
            />
            <SelectField
              label="Time zone"
              value={choice.zone}
              onChange={(event) => prefer({ zone: event.target.value })}
              options={zones().map((zone) => ({ value: zone, label: zone === 'local' ? `Where I am (${local})` : zone }))}
            />
            <SelectField
              label="Clock"
              value={choice.hours}
              onChange={(event) => prefer({ hours: event.target.value as Preferences['hours'] })}
              options={[
                { value: 'auto', label: 'As my language has it' },
                { value: '24', label: '24 hours' },
                { value: '12', label: '12 hours' },
              ]}
            />
            <SelectField
              label="Rows on a page"
              value={String(choice.page_size)}
              onChange={(event) => prefer({ page_size: Number(event.target.value) })}
              options={['25', '50', '100', '200'].map((size) => ({ value: size, label: size }))}
            />
          </div>
        </Panel>
        <Panel title="Server">
          <div className="flex flex-col gap-4 p-4">
            <QueryView query={settings} compact>
              {({ version, settings: all }) => (
                <>
                  <Facts
                    facts={[
                      { name: 'Version', value: version },
                      { name: 'API', value: <code className="font-mono text-sm">{new URL('api', document.baseURI).href}</code> },
                    ]}
                  />
                  <JsonView label="Settings" value={all} />
                </>
              )}
            </QueryView>
          </div>
        </Panel>
      </div>
    </Page>
  )
}
