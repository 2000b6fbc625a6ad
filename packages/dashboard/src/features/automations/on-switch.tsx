import type { Automation } from '@millrace/contracts/automation.ts'
import { useState } from 'react'
import { OnSwitch as Switch } from '../../ui/on-switch.tsx'

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
  return <Switch label={`${automation.name} is on`} checked={turning ?? automation.enabled} onChange={(enabled) => void turn(enabled)} />
}
