import type { Automation } from '@millrace/contracts/automation.ts'
import { Switch } from 'radix-ui'
import { useState } from 'react'

interface OnSwitchProps {
  readonly automation: Pick<Automation, 'id' | 'name' | 'enabled'>
  onTurn(automation: Pick<Automation, 'id' | 'name'>, enabled: boolean): Promise<boolean>
}

/** Whether it acts. Moves at once, and back if the server refuses. */
export function OnSwitch({ automation, onTurn }: OnSwitchProps) {
  const [turning, setTurning] = useState<boolean>()
  const turn = async (enabled: boolean) => {
    setTurning(enabled)
    await onTurn(automation, enabled)
    setTurning(undefined)
  }
  return (
    <Switch.Root
      aria-label={`${automation.name} is on`}
      checked={turning ?? automation.enabled}
      onCheckedChange={(enabled) => void turn(enabled)}
      className="relative block h-5 w-9 shrink-0 rounded-full bg-edge transition-colors data-[state=checked]:bg-accent"
    >
      <Switch.Thumb className="block size-4 translate-x-0.5 rounded-full bg-surface transition-transform data-[state=checked]:translate-x-4.5" />
    </Switch.Root>
  )
}
