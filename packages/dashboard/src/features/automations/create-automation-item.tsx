import { useNavigate } from '@tanstack/react-router'
import { MenuItem } from '../../ui/menu.tsx'

interface CreateAutomationItemProps {
  readonly kind: 'flow' | 'deployment' | 'work-pool' | 'work-queue'
  readonly id: string
}

/** Menu item that creates an automation for a resource. */
export function CreateAutomationItem({ kind, id }: CreateAutomationItemProps) {
  const navigate = useNavigate()
  return (
    <MenuItem icon="automations" onSelect={() => void navigate({ to: '/automations/create', search: { from: `${kind}:${id}` } })}>
      Create automation
    </MenuItem>
  )
}
