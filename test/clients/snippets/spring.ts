import { dirname } from 'node:path'
import { run } from '@gatehouse/test/programs/programs'
import type { SpringApp } from '../tutorials/spring-boot.ts'
import type { Workshop } from './workshop.ts'

/**
 * Saves the settings and the code for Spring Boot, and compiles it with the libraries of the tutorial's app.
 * @returns the command that runs the app: Java and its arguments
 */
export async function compileSpring(
  { save }: Workshop,
  { javac, spring, code }: { javac: string; spring: SpringApp; code: Readonly<Record<string, string>> },
  name: string,
): Promise<string[]> {
  const settings = await save(`spring-${name}/application.yaml`, code['Spring Boot'] ?? '')
  const source = await save(`spring-${name}/com/example/App.java`, code['App.java'] ?? '')
  const classes = dirname(settings)
  const at = spring.indexOf('-cp')
  const jars = (spring[at + 1] ?? '').split(':').at(-1) ?? ''
  await run(javac, ['--release', '17', '-parameters', '-cp', jars, '-d', classes, source])
  return [...spring.slice(0, at), '-cp', `${classes}:${jars}`, 'com.example.App']
}
