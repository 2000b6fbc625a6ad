import { useNavigate } from '@tanstack/react-router'
import { MenuItem } from '../../ui/menu.tsx'

interface CreateAutomationItemProps {
  readonly kind: 'flow' | 'deployment' | 'work-pool' | 'work-queue'
  readonly id: string
}

/** In the menu of a thing: an automation that begins with it. */
export function CreateAutomationItem({ kind, id }: CreateAutomationItemProps) {
  const navigate = useNavigate()
  return (
    <MenuItem icon="automations" onSelect={() => void navigate({ to: '/automations/create', search: { from: `${kind}:${id}` } })}>
      Create automation
    </MenuItem>
  )
}
