import { Page } from '../../ui/page.tsx'
import { Appearance } from './appearance.tsx'
import { DataRetention } from './data-retention.tsx'
import { ServerInfo } from './server-info.tsx'
import { ServerSettings } from './server-settings.tsx'
import { SignedIn } from './signed-in.tsx'

interface SettingsPageProps {
  /** Filter of the server settings. */
  readonly search: string
  onSearch(search: string): void
}

export function SettingsPage({ search, onSearch }: SettingsPageProps) {
  return (
    <Page title="Settings">
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          <Appearance />
          <SignedIn />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <ServerInfo />
          <DataRetention />
          <ServerSettings search={search} onSearch={onSearch} />
        </div>
      </div>
    </Page>
  )
}
