import { waitIn } from '../time.ts'
import type { Texts } from './en.ts'

export const texts = {
  heading: '还有一步',
  loggingIn: (user) => `您正在以 ${user} 的身份登录。`,
  loggedIn: (user) => `您已登录为 ${user}。此处还需要您的第二重验证。`,
  code: '身份验证器应用中的验证码',
  codeHint: '六位数字，每 30 秒更换一次。',
  submit: '继续',
  recovery: '使用恢复代码',
  recoveryCode: '恢复代码',
  recoveryHint: (left) => `剩余代码：${left} 个。每个只能使用一次。`,
  nothing: '您的第二重验证方式目前在此服务器上均无法使用。请联系管理员重置。',
  somebodyElse: '使用其他账户登录',
  missing: '请输入验证码。',
  wrongCode: '验证码不正确或已被使用。请等待下一个验证码后重试。',
  wrongRecoveryCode: '恢复代码不正确或已被使用。',
  tooMany: (seconds) => `错误的验证码过多。请在${waitIn('zh-Hans', seconds)}重试。`,
  ended: '此次登录用时过长，或错误的验证码过多。请重新登录。',
} satisfies Texts
