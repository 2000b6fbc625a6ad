import { clearCredentials, useCredentials } from '../../api/credentials.ts'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/page.tsx'

/** Signed-in user with a Sign out button, if the server has a password. */
export function SignedIn() {
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
