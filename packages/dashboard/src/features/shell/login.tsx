import { UnauthorizedError } from '@millrace/client/errors.ts'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../../api/client.ts'
import { storeCredentials, useSignInRequired } from '../../api/credentials.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Logo } from '../../ui/logo.tsx'

/** Covers the page while the server requires credentials. Refetches all queries after sign-in. */
export function Login() {
  const signInRequired = useSignInRequired()
  const queryClient = useQueryClient()
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(false)
  if (!signInRequired) return null

  const signIn = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setBusy(true)
    try {
      storeCredentials(`${form.get('user')}:${form.get('password')}`)
      await client.server.apiVersion()
      setError(undefined)
      await queryClient.invalidateQueries()
    } catch (problem) {
      setError(problem instanceof UnauthorizedError ? 'Wrong user name or password.' : 'Cannot reach the server.')
    } finally {
      setBusy(false)
    }
  }

  return (
    <div className="fixed inset-0 z-40 grid place-items-center bg-paper p-4">
      <form onSubmit={(event) => void signIn(event)} className="card flex w-full max-w-xs flex-col gap-4 p-6">
        <div className="flex items-center gap-2.5">
          <Logo size={30} />
          <h1 className="font-semibold text-xl">Sign in</h1>
        </div>
        <TextField label="User" name="user" autoComplete="username" required autoFocus />
        <TextField label="Password" name="password" type="password" autoComplete="current-password" required error={error} />
        <Button type="submit" variant="primary" busy={busy}>
          Sign in
        </Button>
        <p className="text-faint text-sm">You stay signed in until you close this tab.</p>
      </form>
    </div>
  )
}
