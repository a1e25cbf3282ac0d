import { minutesIn } from '../time.ts'
import type { Texts } from './en.ts'

export const texts = {
  heading: '登录',
  toContinueTo: (app) => `以继续前往 ${app}`,
  again: (user) => `您已登录为 ${user}。如需继续，请重新登录。`,
  loggedIn: (user, link) => `您已登录为 ${user}。${link}，或使用其他账户登录。`,
  continue: '继续',
  toAccount: '前往您的账户',
  username: '用户名或邮箱地址',
  password: '密码',
  submit: '登录',
  providers: '或通过以下方式登录',
  missing: '请输入您的用户名和密码。',
  wrong: '用户名或密码不正确。请检查后重试。',
  tooMany: (seconds) => `登录失败次数过多。请在${minutesIn('zh-Hans', seconds)}重试。`,
  forgot: '忘记密码？',
  signUp: '创建账户',
} satisfies Texts
