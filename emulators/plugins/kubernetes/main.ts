import { serve } from "../protocol/serve.ts";
import { Kubernetes } from "./provider.ts";

await serve(new Kubernetes());
