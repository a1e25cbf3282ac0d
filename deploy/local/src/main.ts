import { launch } from './launcher.ts'

await launch()
