import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { describeError } from '../api/problem.ts'
import { say } from '../ui/toast.tsx'

/** Says what went wrong, with the number to ask about it by. */
export function sayProblem(error: unknown): void {
  const { title, detail, requestId } = describeError(error)
  say(title, { tone: 'bad', detail: [detail, requestId && `Request ${requestId}`].filter(Boolean).join(' · ') })
}

/** Something that is asked of the server: one at a time, its end said, and the nouns it changes read again. */
export function useDeed(...nouns: readonly string[]) {
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState(false)
  /** Whether it was done. */
  const attempt = async (deed: () => Promise<string | undefined>): Promise<boolean> => {
    setBusy(true)
    try {
      const said = await deed()
      if (said) say(said)
      await queryClient.invalidateQueries({ predicate: ({ queryKey }) => nouns.includes(String(queryKey[0])) })
      return true
    } catch (error) {
      sayProblem(error)
      return false
    } finally {
      setBusy(false)
    }
  }
  return { busy, attempt }
}
