import type { Step } from '../findings.ts'
import { autoscale } from './autoscale.ts'
import { backup } from './backup.ts'
import { certificates } from './certificates.ts'
import { figures } from './figures.ts'
import { ingress } from './ingress.ts'
import { install } from './install.ts'
import { kills } from './kills.ts'
import { monitoring } from './monitoring.ts'
import { names } from './names.ts'
import { release } from './release.ts'
import { drain, rolling } from './replace.ts'
import { rotate } from './rotate.ts'
import { scale } from './scale.ts'
import { strangers } from './strangers.ts'
import { traces } from './traces.ts'

/** All steps, in their order. The first one makes what the others try. */
export const steps: readonly Step[] = [
  ...[install, scale, rolling, drain, kills, autoscale, figures],
  ...[ingress, strangers, certificates, rotate, backup, traces, monitoring, names, release],
]
