import { defineConfig } from 'rolldown'

export default defineConfig({
  input: ['typebox/typebox.ts', 'typebox/compile.ts', 'typebox/value.ts'],
  platform: 'node',
  output: { dir: 'gen/typebox', format: 'esm' },
})
