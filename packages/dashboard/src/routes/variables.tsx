import { createFileRoute } from '@tanstack/react-router'
import { VariablesPage } from '../features/variables/variables-page.tsx'

export const Route = createFileRoute('/variables')({ component: VariablesPage })
