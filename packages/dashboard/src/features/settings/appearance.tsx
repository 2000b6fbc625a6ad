import { now } from '../../ui/clock.ts'
import { SelectField } from '../../ui/field.tsx'
import { Panel } from '../../ui/page.tsx'
import { type Preferences, setPreferences, usePreferences } from '../../ui/preferences.ts'
import { formatTime } from '../../ui/time-format.ts'

const zones = () => ['local', 'UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

/** Display preferences of this browser. */
export function Appearance() {
  const preferences = usePreferences()
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <Panel title="Appearance">
      <div className="flex max-w-sm flex-col gap-4 p-4">
        <SelectField
          label="Theme"
          value={preferences.theme}
          onChange={(event) => setPreferences({ theme: event.target.value as Preferences['theme'] })}
          options={[
            { value: 'system', label: 'System' },
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
        />
        <SelectField
          label="Time zone"
          hint={`Current time: ${formatTime(now(), 'full', preferences)}`}
          value={preferences.zone}
          onChange={(event) => setPreferences({ zone: event.target.value })}
          options={zones().map((zone) => ({ value: zone, label: zone === 'local' ? `Local time (${local})` : zone }))}
        />
        <SelectField
          label="Clock"
          value={preferences.hours}
          onChange={(event) => setPreferences({ hours: event.target.value as Preferences['hours'] })}
          options={[
            { value: 'auto', label: 'Browser default' },
            { value: '24', label: '24 hours' },
            { value: '12', label: '12 hours' },
          ]}
        />
        <SelectField
          label="Rows per page"
          value={String(preferences.page_size)}
          onChange={(event) => setPreferences({ page_size: Number(event.target.value) })}
          options={['25', '50', '100', '200'].map((size) => ({ value: size, label: size }))}
        />
        <p className="text-faint text-sm">Stored in this browser.</p>
      </div>
    </Panel>
  )
}
