import { clearCredentials, useCredentials } from '../../api/credentials.ts'
import { Button } from '../../ui/button.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Appearance } from './appearance.tsx'
import { DataRetention } from './data-retention.tsx'
import { ServerInfo } from './server-info.tsx'
import { ServerSettings } from './server-settings.tsx'

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

/** Signed-in user with a Sign out button, if the server has a password. */
function SignedIn() {
  const pair = useCredentials()
  if (pair === null) return null
  return (
    <Panel title="Signed in">
      <div className="flex items-center gap-3 p-4">
        <p className="min-w-0 flex-1">
          As <strong className="font-semibold">{pair.split(':')[0]}</strong>. You stay signed in until you close this tab.
        </p>
        <Button icon="signOut" onClick={clearCredentials}>
          Sign out
        </Button>
      </div>
    </Panel>
  )
}
