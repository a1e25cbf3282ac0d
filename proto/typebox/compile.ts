export { Compile } from 'typebox/compile'
