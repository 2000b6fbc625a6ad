import type { Automation } from '@millrace/contracts/automation.ts'
import { useQueryClient } from '@tanstack/react-query'
import { deleteAutomation, resumeAutomation, switchAutomation } from '../../api/automations.ts'
import { describeError } from '../../api/problem.ts'
import { say } from '../../ui/toast.tsx'

/** What can be done to an automation from its row and from its page; each says how it ended. */
export function useAutomationDeeds() {
  const queryClient = useQueryClient()
  const did = async (doing: Promise<unknown>, said: string, gone?: string): Promise<boolean> => {
    try {
      await doing
      say(said)
      return true
    } catch (error) {
      const { title, detail } = describeError(error)
      say(title, { tone: 'bad', ...(detail && { detail }) })
      return false
    } finally {
      // What is still on the screen of one that is gone would be asked for in vain.
      await queryClient.invalidateQueries({ queryKey: ['automations'], predicate: ({ queryKey }) => gone === undefined || !queryKey.includes(gone) })
    }
  }
  return {
    turn: ({ id, name }: Pick<Automation, 'id' | 'name'>, enabled: boolean) =>
      did(switchAutomation(id, enabled), `${name} is ${enabled ? 'on' : 'off'}`),
    resume: ({ id, name }: Pick<Automation, 'id' | 'name'>) => did(resumeAutomation(id), `Resumed ${name}`),
    remove: ({ id, name }: Pick<Automation, 'id' | 'name'>) => did(deleteAutomation(id), `Deleted ${name}`, id),
  }
}
